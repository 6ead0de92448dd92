package ringmaster.interop;

/** Result of a handler: a handle code and its message. */
public record Result(int code, String message) {
    public static Result success(String message) {
        return new Result(200, message);
    }

    public static Result failure(String message) {
        return new Result(500, message);
    }

    String json() {
        return "[" + code + "," + Json.quoted(message) + "]";
    }
}
