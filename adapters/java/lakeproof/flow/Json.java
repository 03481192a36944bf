package lakeproof.flow;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** As much JSON as the protocol needs: null, Boolean, Long, Double, String, List and Map. */
public final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Reads one value. IllegalArgumentException: it is no JSON. */
    public static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.blank();
        if (json.at < text.length()) {
            throw json.wrong();
        }
        return value;
    }

    /** Writes a value: also integers of any size, and iterables. */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof String text) {
            quote(text, out);
        } else if (value instanceof Map<?, ?> members) {
            String between = "{";
            for (Map.Entry<?, ?> member : members.entrySet()) {
                out.append(between);
                quote((String) member.getKey(), out);
                out.append(':');
                write(member.getValue(), out);
                between = ",";
            }
            out.append(members.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> items) {
            String between = "";
            out.append('[');
            for (Object item : items) {
                out.append(between);
                write(item, out);
                between = ",";
            }
            out.append(']');
        } else if (value == null || value instanceof Boolean || value instanceof Number) {
            out.append(value);
        } else {
            throw new IllegalArgumentException(value.getClass() + " has no JSON; return texts, numbers, lists and maps");
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char one = text.charAt(i);
            if (one == '"' || one == '\\') {
                out.append('\\').append(one);
            } else if (one < 0x20 || one > 0x7e) {
                out.append(String.format("\\u%04x", (int) one));
            } else {
                out.append(one);
            }
        }
        out.append('"');
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("no JSON at character " + at + " of " + text);
    }

    private void blank() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private char next() {
        blank();
        if (at >= text.length()) {
            throw wrong();
        }
        return text.charAt(at);
    }

    private void take(char expected) {
        if (next() != expected) {
            throw wrong();
        }
        at++;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong();
        }
        at += word.length();
        return value;
    }

    private Object value() {
        switch (next()) {
            case 'n':
                return word("null", null);
            case 't':
                return word("true", true);
            case 'f':
                return word("false", false);
            case '"':
                return string();
            case '[':
                return list();
            case '{':
                return object();
            default:
                return number();
        }
    }

    private List<Object> list() {
        List<Object> found = new ArrayList<>();
        take('[');
        if (next() != ']') {
            found.add(value());
            while (next() == ',') {
                at++;
                found.add(value());
            }
        }
        take(']');
        return found;
    }

    private Map<String, Object> object() {
        Map<String, Object> found = new LinkedHashMap<>();
        take('{');
        if (next() != '}') {
            member(found);
            while (next() == ',') {
                at++;
                next();
                member(found);
            }
        }
        take('}');
        return found;
    }

    private void member(Map<String, Object> found) {
        String name = string();
        take(':');
        found.put(name, value());
    }

    private Number number() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(start, at);
        try {
            if (digits.chars().anyMatch(one -> ".eE".indexOf(one) >= 0)) {
                return Double.valueOf(digits);
            }
            return Long.valueOf(digits);
        } catch (NumberFormatException error) {
            throw wrong();
        }
    }

    private String string() {
        StringBuilder found = new StringBuilder();
        take('"');
        while (true) {
            if (at >= text.length()) {
                throw wrong();
            }
            char one = text.charAt(at++);
            if (one == '"') {
                return found.toString();
            }
            if (one != '\\') {
                found.append(one);
                continue;
            }
            if (at >= text.length()) {
                throw wrong();
            }
            char escape = text.charAt(at++);
            int plain = "nrtbf".indexOf(escape);
            if (escape == 'u') {
                found.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                found.append(plain < 0 ? escape : "\n\r\t\b\f".charAt(plain));
            }
        }
    }
}
