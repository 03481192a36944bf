package lakeproof.flow;

import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All that a flow may touch. One flow has one, and no other thread uses it. */
public final class Env {
    /** Ends a flow that lakeproof has dropped. A flow must not catch it. */
    static final class Dropped extends Error {
        private static final long serialVersionUID = 1L;

        Dropped() {
            super(null, null, false, false);
        }
    }

    private static final StackWalker STACK = StackWalker.getInstance();
    private static final String HERE = Env.class.getPackageName() + ".";

    private final long flow;
    private long effect;
    boolean dropped;

    Env(long flow) {
        this.flow = flow;
    }

    public final Store store = new Store() {
        @Override
        public ValueWithPredicate get(byte[] partition, byte[] key) throws FlowException {
            Map<?, ?> reply = ask("get", fields("partition", coded(partition), "key", coded(key)));
            return new ValueWithPredicate(bytes(reply, "value"), Predicate.token(reply.get("predicate")));
        }

        @Override
        public void set(byte[] partition, byte[] key, byte[] value) throws FlowException {
            ask("set", fields("partition", coded(partition), "key", coded(key), "value", coded(value)));
        }

        @Override
        public void setIf(byte[] partition, byte[] key, byte[] value, Predicate predicate) throws FlowException {
            Map<String, Object> fields = fields("partition", coded(partition), "key", coded(key));
            fields.put("value", coded(value));
            fields.put("predicate", predicate.json);
            ask("set_if", fields);
        }

        @Override
        public void delete(byte[] partition, byte[] key) throws FlowException {
            ask("delete", fields("partition", coded(partition), "key", coded(key)));
        }

        @Override
        public Batch scanBatch(byte[] partition, byte[] start, int limit) throws FlowException {
            Map<?, ?> reply =
                    ask("scan", fields("partition", coded(partition), "start", coded(start), "limit", (long) limit));
            List<Entry> entries = new ArrayList<>();
            for (Object each : (List<?>) reply.get("entries")) {
                entries.add(new Entry(bytes((Map<?, ?>) each, "key"), bytes((Map<?, ?>) each, "value")));
            }
            return new Batch(entries, (Boolean) reply.get("more"));
        }
    };

    public final Objects objects = new Objects() {
        @Override
        public void put(String address, byte[] content, Map<String, String> metadata, PutOptions options)
                throws FlowException {
            Map<String, Object> fields = fields("address", address, "content", coded(content), "metadata", metadata);
            fields.put("if_absent", options.ifAbsent());
            fields.put("if_match", options.ifMatch());
            fields.put("not_after", options.notAfter());
            ask("put_object", fields);
        }

        @Override
        public byte[] get(String address) throws FlowException {
            return bytes(ask("get_object", fields("address", address)), "content");
        }

        @Override
        public Head head(String address) throws FlowException {
            return headOf(ask("head_object", fields("address", address)));
        }

        @Override
        public void copy(String source, String destination, CopyOptions options) throws FlowException {
            Map<String, Object> fields = fields("source", source, "destination", destination);
            fields.put("metadata", options.metadata());
            fields.put("if_match", options.ifMatch());
            fields.put("not_after", options.notAfter());
            ask("copy_object", fields);
        }

        @Override
        public void setMetadata(
                String address, Map<String, String> metadata, Long ifMetageneration, String ifVersion)
                throws FlowException {
            Map<String, Object> fields = fields("address", address, "metadata", metadata);
            fields.put("if_metageneration", ifMetageneration);
            fields.put("if_version", ifVersion);
            ask("set_metadata", fields);
        }

        @Override
        public void delete(String address) throws FlowException {
            ask("delete_object", fields("address", address));
        }

        @Override
        public Page list(String prefix, String after, int limit) throws FlowException {
            Map<?, ?> reply = ask("list_objects", fields("prefix", prefix, "after", after, "limit", (long) limit));
            List<Head> heads = new ArrayList<>();
            for (Object each : (List<?>) reply.get("heads")) {
                heads.add(headOf((Map<?, ?>) each));
            }
            return new Page(heads, (Boolean) reply.get("more"));
        }
    };

    /** Microseconds since 1970. */
    public long now() throws FlowException {
        return (Long) ask("now", fields()).get("now");
    }

    /** A fresh identifier of a kind; the same one on every run of the same client. */
    public String unique(String kind) throws FlowException {
        return (String) ask("unique", fields("kind", kind)).get("id");
    }

    /** Hands one effect to lakeproof, and waits for the reply. */
    private Map<?, ?> ask(String op, Map<String, Object> fields) throws FlowException {
        if (dropped) {
            throw new Dropped(); // a finally goes on: nothing of it takes place
        }
        Map<String, Object> message = fields("flow", flow, "effect", ++effect, "op", op);
        String at = STACK.walk(frames -> frames.filter(frame -> !frame.getClassName().startsWith(HERE))
                .findFirst()
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                .orElse(null));
        if (at != null) {
            message.put("at", at);
        }
        message.putAll(fields);
        Server.say(message);
        Map<?, ?> reply = Server.hear();
        if (reply.containsKey("reset")) {
            dropped = true;
            throw new Dropped();
        }
        if (reply.get("error") instanceof Map<?, ?> error) {
            throw new FlowException((String) error.get("kind"), (Boolean) error.get("definite"), null);
        }
        return (Map<?, ?>) reply.get("ok");
    }

    /** Names and values, in this order. */
    static Map<String, Object> fields(Object... pairs) {
        Map<String, Object> found = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            found.put((String) pairs[i], pairs[i + 1]);
        }
        return found;
    }

    private static String coded(byte[] value) {
        return value == null ? null : Base64.getEncoder().encodeToString(value);
    }

    private static byte[] bytes(Map<?, ?> reply, String name) {
        return Base64.getDecoder().decode((String) reply.get(name));
    }

    private static Objects.Head headOf(Map<?, ?> told) {
        Map<String, String> metadata = new LinkedHashMap<>();
        ((Map<?, ?>) told.get("metadata")).forEach((name, value) -> metadata.put((String) name, (String) value));
        return new Objects.Head(
                (String) told.get("address"),
                (Long) told.get("size_bytes"),
                (String) told.get("etag"),
                (Long) told.get("last_modified"),
                metadata,
                (Long) told.get("metageneration"),
                (String) told.get("version"));
    }
}
