package ringmaster.interop;

/** What an admin of the release asks an executor, with the client that the release ships. */
interface Calls {
    Answer beat();

    Answer idleBeat(int job);

    /** Sends what is named alone: the rest stays as the release initialises it. */
    Answer run(Fields fields);

    Answer kill(int job);

    Answer log(long dateMs, long logId, int fromLine);
}
