package ringmaster.interop;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The command line: {@code --name value} pairs. */
public record Options(String admin, String app, int port, String token, Path logFolder, Path journal) {
    public static Options parse(String[] args) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            values.put(args[i], args[i + 1]);
        }
        return new Options(
            required(values, "--admin"),
            required(values, "--app"),
            Integer.parseInt(required(values, "--port")),
            values.getOrDefault("--token", ""),
            Path.of(required(values, "--log-folder")),
            Path.of(required(values, "--journal")));
    }

    private static String required(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("usage: Main --admin URL[,URL…] --app NAME --port N"
                + " [--token T] --log-folder PATH --journal FILE (missing " + name + ")");
        }
        return value;
    }
}
