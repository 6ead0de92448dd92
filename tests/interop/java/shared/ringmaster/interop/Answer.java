package ringmaster.interop;

/** A reply as the release has read it. The payload is the release's own type; a piece of log is a `Chunk`. */
record Answer(int code, String msg, String payload, Chunk chunk) {
    record Chunk(int from, int to, String content, boolean end) {
        String json() {
            return "{\"from\":" + from + ",\"to\":" + to + ",\"content\":" + Json.quoted(content) + ",\"end\":" + end + "}";
        }
    }

    static Answer plain(int code, String msg, String payload) {
        return new Answer(code, msg, payload, null);
    }

    static Answer log(int code, String msg, Chunk chunk) {
        return new Answer(code, msg, null, chunk);
    }

    String json() {
        return "{\"code\":" + code + ",\"msg\":" + Json.quoted(msg) + ",\"payload\":" + Json.quoted(payload)
            + ",\"chunk\":" + (chunk == null ? "null" : chunk.json()) + "}";
    }
}
