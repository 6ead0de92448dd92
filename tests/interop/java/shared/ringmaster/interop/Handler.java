package ringmaster.interop;

@FunctionalInterface
public interface Handler {
    Result handle(Run run) throws Exception;
}
