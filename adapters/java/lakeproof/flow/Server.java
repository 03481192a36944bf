package lakeproof.flow;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Runs flows in Java under lakeproof: the protocol flow:, version 1, on stdin and stdout.
 *
 * <p>A flow touches the world only through its {@link Env}. It must be a function of its arguments and of the replies to its
 * effects: no clock, no random numbers, no order of hash maps, no other thread.
 */
public final class Server {
    /** One operation. Its result must have a JSON: texts, numbers, lists and maps. */
    @FunctionalInterface
    public interface Flow {
        Object run(Env env, List<?> args, Map<?, ?> options) throws Exception;
    }

    private static final BufferedReader IN =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
    private static final PrintStream OUT = System.out;

    private Server() {}

    /** Runs the flows that lakeproof asks for, by name, until stdin ends. What they print goes to stderr. */
    public static void serve(Map<String, Flow> flows) {
        System.setOut(System.err);
        hear();
        say(Env.fields("protocol", "flow:", "version", 1L));
        while (true) {
            Map<?, ?> told = hear();
            if (told.containsKey("reset")) {
                say(Env.fields("reset", told.get("reset")));
                continue;
            }
            Env env = new Env((Long) told.get("start"));
            Map<String, Object> ended = ended(flows, told, env);
            if (env.dropped) {
                say(Env.fields("reset", told.get("start")));
            } else {
                Map<String, Object> last = Env.fields("flow", told.get("start"));
                last.putAll(ended);
                say(last);
            }
        }
    }

    private static Map<String, Object> ended(Map<String, Flow> flows, Map<?, ?> told, Env env) {
        Flow flow = flows.get((String) told.get("call"));
        if (flow == null) {
            String names = String.join(", ", new TreeSet<>(flows.keySet()));
            return raises("no_such_flow", null, told.get("call") + ": this program has no such flow, but " + names);
        }
        try {
            return Env.fields("returns", flow.run(env, (List<?>) told.get("args"), (Map<?, ?>) told.get("options")));
        } catch (FlowException error) {
            return raises(error.kind(), error.definite(), error.getMessage());
        } catch (Throwable mistake) { // also an Error: it is the flow's
            return raises(mistake.getClass().getSimpleName(), null, mistake.getMessage());
        }
    }

    private static Map<String, Object> raises(String kind, Boolean definite, String message) {
        return Env.fields(
                "raises", Env.fields("kind", kind, "definite", definite, "message", message == null ? "" : message));
    }

    static void say(Map<String, Object> message) {
        byte[] line = (Json.write(message) + "\n").getBytes(StandardCharsets.UTF_8);
        OUT.write(line, 0, line.length);
        OUT.flush();
    }

    static Map<?, ?> hear() {
        String line = null;
        try {
            line = IN.readLine();
        } catch (IOException error) {
            // as at its end
        }
        if (line == null) {
            System.exit(0); // lakeproof has ended
        }
        return (Map<?, ?>) Json.parse(line);
    }
}
