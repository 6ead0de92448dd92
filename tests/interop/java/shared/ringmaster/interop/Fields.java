package ringmaster.interop;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;

/** A line of input: the operation, then {@code name=value} pairs, all separated by tabs. */
record Fields(String operation, Map<String, String> values) {
    static Fields parse(String line) {
        String[] words = line.split("\t");
        Map<String, String> values = new HashMap<>();
        for (int i = 1; i < words.length; i++) {
            int cut = words[i].indexOf('=');
            values.put(words[i].substring(0, cut), words[i].substring(cut + 1));
        }
        return new Fields(words[0], values);
    }

    String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException(operation + " needs " + name);
        }
        return value;
    }

    int number(String name) {
        return Integer.parseInt(text(name));
    }

    long big(String name) {
        return Long.parseLong(text(name));
    }

    void text(String name, Consumer<String> to) {
        if (values.containsKey(name)) {
            to.accept(text(name));
        }
    }

    void number(String name, IntConsumer to) {
        if (values.containsKey(name)) {
            to.accept(number(name));
        }
    }

    void big(String name, LongConsumer to) {
        if (values.containsKey(name)) {
            to.accept(big(name));
        }
    }
}
