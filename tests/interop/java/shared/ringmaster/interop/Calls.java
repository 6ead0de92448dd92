package ringmaster.interop;

/** Requests of a release's admin to an executor, with the client that the release ships. */
interface Calls {
    Answer beat();

    Answer idleBeat(int job);

    /** Sends only the named fields: the rest stays as the release initialises it. */
    Answer run(Fields fields);

    Answer kill(int job);

    Answer log(long dateMs, long logId, int fromLine);
}
