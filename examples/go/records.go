package main

import (
	"encoding/binary"
	"errors"
)

// The records of Graveler on the wire: lakeFS' protobuf messages, with the fields that the flows use. A real project has
// generated code for them.

type state uint64

const (
	active state = iota
	deleting
	initial // Step 2 of the design
	deleted // the tombstone of the hardened variant
)

type repository struct {
	id               string
	storageNamespace string
	defaultBranchID  string
	creationDate     int64 // microseconds since 1970
	state            state
	instanceUID      string
	bare             bool
}

func (r repository) encode() []byte {
	var m message
	m.text(1, r.id)
	m.text(2, r.storageNamespace)
	m.text(3, r.defaultBranchID)
	m.bytes(4, timestamp(r.creationDate))
	m.number(5, uint64(r.state))
	m.text(6, r.instanceUID)
	if r.bare {
		m.number(1001, 1)
	}
	return m
}

func decodeRepository(value []byte) (r repository, err error) {
	err = fields(value, func(field, number uint64, content []byte) error {
		switch field {
		case 1:
			r.id = string(content)
		case 2:
			r.storageNamespace = string(content)
		case 3:
			r.defaultBranchID = string(content)
		case 4:
			return fields(content, func(field, number uint64, _ []byte) error {
				switch field {
				case 1:
					r.creationDate += int64(number) * 1_000_000
				case 2:
					r.creationDate += int64(number) / 1_000
				}
				return nil
			})
		case 5:
			r.state = state(number)
		case 6:
			r.instanceUID = string(content)
		case 1001:
			r.bare = number != 0
		}
		return nil
	})
	return r, err
}

func encodeBranch(id, commitID, stagingToken string) []byte {
	var m message
	m.text(1, id)
	m.text(2, commitID)
	m.text(3, stagingToken)
	return m
}

func encodeCommit(id, committer, text string, creationDate int64, key, value string) []byte {
	var metadata message
	metadata.text(1, key)
	metadata.text(2, value)
	var m message
	m.text(1, id)
	m.text(2, committer)
	m.text(3, text)
	m.bytes(4, timestamp(creationDate))
	m.bytes(6, metadata)
	return m
}

func encodeCleanupRecord(repositoryID, instanceUID string) []byte {
	var m message
	m.text(1, repositoryID)
	m.text(2, instanceUID)
	return m
}

// message is what protobuf writes, in the order of its fields.
type message []byte

func (m *message) number(field, value uint64) {
	if value != 0 {
		*m = binary.AppendUvarint(binary.AppendUvarint(*m, field<<3), value)
	}
}

func (m *message) bytes(field uint64, content []byte) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, field<<3|2), uint64(len(content)))
	*m = append(*m, content...)
}

func (m *message) text(field uint64, content string) {
	if content != "" {
		m.bytes(field, []byte(content))
	}
}

func timestamp(microseconds int64) []byte {
	var m message
	m.number(1, uint64(microseconds/1_000_000))
	m.number(2, uint64(microseconds%1_000_000*1_000))
	return m
}

var errTruncated = errors.New("a record is cut off")

// fields calls a function with each field of a message: its number, and what it holds.
func fields(value []byte, each func(field, number uint64, content []byte) error) error {
	for len(value) > 0 {
		tag, n := binary.Uvarint(value)
		if n <= 0 {
			return errTruncated
		}
		value = value[n:]
		number, n := binary.Uvarint(value)
		if n <= 0 {
			return errTruncated
		}
		value = value[n:]
		var content []byte
		if tag&7 == 2 {
			if number > uint64(len(value)) {
				return errTruncated
			}
			content, value = value[:number], value[number:]
		}
		if err := each(tag>>3, number, content); err != nil {
			return err
		}
	}
	return nil
}
