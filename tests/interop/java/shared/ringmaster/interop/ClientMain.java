package ringmaster.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/** The admin's side: a line of input is a call of an executor, or a callback to read; a line of output is the outcome as JSON. */
public final class ClientMain {
    private Calls calls;

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err); // the releases may print there
        ClientMain client = new ClientMain();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(client.outcome(Fields.parse(line)));
        }
    }

    private String outcome(Fields fields) {
        try {
            if (fields.operation().equals("results")) {
                return results(fields.text("body"));
            }
            Answer answer = answer(fields);
            return answer == null ? "null" : answer.json();
        } catch (RuntimeException error) {
            return "{\"error\":" + Json.quoted(error.toString()) + "}";
        }
    }

    private static String results(String body) {
        return Peer.results(body).entrySet().stream()
            .map(each -> "\"" + each.getKey() + "\":" + each.getValue().json())
            .collect(Collectors.joining(",", "{", "}"));
    }

    private Answer answer(Fields fields) {
        switch (fields.operation()) {
            case "connect":
                calls = new Client(fields.text("address"), fields.text("token"));
                return null;
            case "beat":
                return calls.beat();
            case "idleBeat":
                return calls.idleBeat(fields.number("jobId"));
            case "run":
                return calls.run(fields);
            case "kill":
                return calls.kill(fields.number("jobId"));
            case "log":
                return calls.log(fields.big("logDateTim"), fields.big("logId"), fields.number("fromLineNum"));
            default:
                throw new IllegalArgumentException("unknown: " + fields.operation());
        }
    }
}
