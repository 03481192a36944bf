package lakeproof.flow;

import java.util.List;
import java.util.Map;

/** The object store. Each call is one effect; each page of a listing is another. */
public interface Objects {
    /** What is known of an object without its content. A listing tells no metadata. Times: microseconds since 1970. */
    record Head(
            String address,
            long sizeBytes,
            String etag,
            long lastModified,
            Map<String, String> metadata,
            long metageneration,
            String version) {}

    /** One page of a listing. */
    record Page(List<Head> heads, boolean more) {}

    /** Conditions of a put: null where there is none. notAfter: microseconds since 1970. */
    record PutOptions(boolean ifAbsent, String ifMatch, Long notAfter) {
        public static final PutOptions NONE = new PutOptions(false, null, null);
    }

    /** Conditions of a copy, and other metadata than those of the source: null where there is none. */
    record CopyOptions(Map<String, String> metadata, String ifMatch, Long notAfter) {
        public static final CopyOptions NONE = new CopyOptions(null, null, null);
    }

    /** "precondition_failed", "expired". */
    void put(String address, byte[] content, Map<String, String> metadata, PutOptions options) throws FlowException;

    /** The content. "object_not_found". */
    byte[] get(String address) throws FlowException;

    /** "object_not_found". */
    Head head(String address) throws FlowException;

    /** "object_not_found", "precondition_failed", "expired". */
    void copy(String source, String destination, CopyOptions options) throws FlowException;

    /** Conditions: null where there is none. "object_not_found", "precondition_failed". */
    void setMetadata(String address, Map<String, String> metadata, Long ifMetageneration, String ifVersion)
            throws FlowException;

    /** Remove an object; an absent one is no error. */
    void delete(String address) throws FlowException;

    /** Heads of the addresses with a prefix that come after another one, at most limit of them (0: all). */
    Page list(String prefix, String after, int limit) throws FlowException;
}
