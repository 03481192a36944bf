package lakeproof.flow;

/** What a store answered, or a flow raises, instead of a result. */
public class FlowException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String kind;
    private final boolean definite;

    /** definite: whether the call did not take place. */
    public FlowException(String kind, boolean definite, String message) {
        super(message, null, false, false);
        this.kind = kind;
        this.definite = definite;
    }

    /** The protocol's word: "not_found", "predicate_failed", "unknown", or one of the flow's own. */
    public String kind() {
        return kind;
    }

    public boolean definite() {
        return definite;
    }

    public boolean is(String other) {
        return kind.equals(other);
    }
}
