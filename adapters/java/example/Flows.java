import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import lakeproof.flow.Env;
import lakeproof.flow.FlowException;
import lakeproof.flow.Objects;
import lakeproof.flow.Server;
import lakeproof.flow.Store;

/** A counter that loses updates, and one that does not; and one flow for each other effect. */
public final class Flows {
    private static final byte[] PARTITION = bytes("counters");
    private static final byte[] KEY = bytes("visits");
    private static final byte[] MARKS = bytes("marks");

    private Flows() {}

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private record Read(long value, Store.Predicate predicate) {}

    private static Read read(Env env) throws FlowException {
        try {
            Store.ValueWithPredicate found = env.store.get(PARTITION, KEY);
            return new Read(Long.parseLong(text(found.value())), found.predicate());
        } catch (FlowException error) {
            if (error.is("not_found")) {
                return new Read(0, Store.Predicate.ABSENT);
            }
            throw error;
        }
    }

    /** Reads, adds one, and writes. */
    static Object increment(Env env, List<?> args, Map<?, ?> options) throws FlowException {
        long value = read(env).value() + 1;
        env.store.set(PARTITION, KEY, bytes(Long.toString(value)));
        return value;
    }

    /** Writes only if the value is still the one that it has read, and tries three times. */
    static Object incrementIf(Env env, List<?> args, Map<?, ?> options) throws FlowException {
        for (int tries = 0; tries < 3; tries++) {
            Read found = read(env);
            try {
                env.store.setIf(PARTITION, KEY, bytes(Long.toString(found.value() + 1)), found.predicate());
                return found.value() + 1;
            } catch (FlowException error) {
                if (!error.is("predicate_failed")) {
                    throw error;
                }
            }
        }
        throw new FlowException("refused", true, null);
    }

    /** Writes a fresh identifier and the time, and lists what is there. */
    static Object mark(Env env, List<?> args, Map<?, ?> options) throws FlowException {
        String id = env.unique((String) args.get(0));
        env.store.set(MARKS, bytes(id), bytes(Long.toString(env.now())));
        Object limit = options.get("limit");
        Store.Entries entries = env.store.scan(MARKS, new byte[0], limit == null ? 0 : ((Long) limit).intValue());
        List<String> names = new ArrayList<>();
        while (entries.hasNext()) {
            names.add(text(entries.next().key()));
        }
        return Arrays.asList(id, names);
    }

    static Object sweep(Env env, List<?> args, Map<?, ?> options) throws FlowException {
        Store.Entries entries = env.store.scan(MARKS, new byte[0], 0);
        while (entries.hasNext()) {
            env.store.delete(MARKS, entries.next().key());
        }
        return null;
    }

    /** Every effect on objects. */
    static Object upload(Env env, List<?> args, Map<?, ?> options) throws FlowException {
        String address = (String) args.get(0);
        String copy = address + ".copy";
        env.objects.put(address, bytes("hello"), Map.of("a", "1", "b", "2"), new Objects.PutOptions(true, null, null));
        Objects.Head head = env.objects.head(address);
        env.objects.copy(address, copy, new Objects.CopyOptions(null, head.etag(), null));
        env.objects.setMetadata(copy, Map.of("c", "3"), 1L, null);
        List<String> found = new ArrayList<>();
        env.objects.list(address, "", 0).heads().forEach(each -> found.add(each.address()));
        env.objects.delete(address);
        Map<String, Object> made = new LinkedHashMap<>();
        made.put("content", Base64.getEncoder().encodeToString(env.objects.get(copy)));
        made.put("etag", head.etag());
        made.put("found", found);
        return made;
    }

    /** Writes, and fails with an error of this kind; without one, by an exception that is no answer. */
    static Object fail(Env env, List<?> args, Map<?, ?> options) throws FlowException {
        env.store.set(bytes("p"), bytes("k"), bytes("v"));
        if (args.size() > 1) {
            throw new FlowException((String) args.get(0), (Boolean) args.get(1), "its message");
        }
        throw new IllegalStateException("its message");
    }

    /** Deletes its lock in any case; where it is dropped, that never takes place. */
    static Object locked(Env env, List<?> args, Map<?, ?> options) throws FlowException {
        env.store.setIf(bytes("locks"), bytes("lock"), bytes("held"), Store.Predicate.ABSENT);
        try {
            env.store.set(PARTITION, KEY, bytes("1"));
        } finally {
            env.store.delete(bytes("locks"), bytes("lock"));
        }
        return null;
    }

    public static void main(String[] args) {
        Server.serve(Map.of(
                "increment", Flows::increment,
                "increment_if", Flows::incrementIf,
                "mark", Flows::mark,
                "sweep", Flows::sweep,
                "upload", Flows::upload,
                "fail", Flows::fail,
                "locked", Flows::locked));
    }
}
