package lakeproof.flow;

import java.util.Arrays;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** The key-value store. Each call is one effect; each batch of a scan is another. */
public interface Store {
    /** What get returned; a flow hands it back as it is. */
    final class Predicate {
        /** The key must be absent. */
        public static final Predicate ABSENT = new Predicate(null);
        /** The key must be present, whatever its value. */
        public static final Predicate EXISTS = new Predicate(Map.of("exists", true));

        final Object json;

        private Predicate(Object json) {
            this.json = json;
        }

        static Predicate token(Object token) {
            return new Predicate(Map.of("value", token));
        }

        /** The predicate of a value that the flow itself has written: lakeproof's store compares values. */
        public static Predicate of(byte[] value) {
            return token(Base64.getEncoder().encodeToString(value));
        }
    }

    /** A value, and what setIf takes to replace just this value. */
    record ValueWithPredicate(byte[] value, Predicate predicate) {}

    /** One row of a scan. */
    record Entry(byte[] key, byte[] value) {}

    /** One atomic piece of a scan. */
    record Batch(List<Entry> entries, boolean more) {}

    /** "not_found" if there is no value. */
    ValueWithPredicate get(byte[] partition, byte[] key) throws FlowException;

    /** Write, whatever was there. */
    void set(byte[] partition, byte[] key, byte[] value) throws FlowException;

    /** "predicate_failed" if the key's value is not what the predicate says; nothing is written then. */
    void setIf(byte[] partition, byte[] key, byte[] value, Predicate predicate) throws FlowException;

    /** Remove a key; an absent one is no error. */
    void delete(byte[] partition, byte[] key) throws FlowException;

    /** Entries from a key on, in ascending byte order, at most limit of them (0: all). */
    Batch scanBatch(byte[] partition, byte[] start, int limit) throws FlowException;

    /** All entries from a key on. Not a snapshot: writes may fall between two batches. */
    default Entries scan(byte[] partition, byte[] start, int limit) throws FlowException {
        return new Entries(this, partition, start, limit);
    }

    /** The entries of a scan. */
    final class Entries {
        private final Store store;
        private final byte[] partition;
        private final int limit;
        private byte[] start;
        private Iterator<Entry> batch;
        private boolean more;

        Entries(Store store, byte[] partition, byte[] start, int limit) throws FlowException {
            this.store = store;
            this.partition = partition;
            this.start = start;
            this.limit = limit;
            fetch();
        }

        private void fetch() throws FlowException {
            Batch found = store.scanBatch(partition, start, limit);
            batch = found.entries().iterator();
            more = found.more();
        }

        /** Whether there is another entry. */
        public boolean hasNext() throws FlowException {
            while (!batch.hasNext() && more) {
                fetch();
            }
            return batch.hasNext();
        }

        /** The next entry. */
        public Entry next() throws FlowException {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Entry entry = batch.next();
            start = Arrays.copyOf(entry.key(), entry.key().length + 1);
            return entry;
        }
    }
}
