/** Ends the present task: the browser handles input and draws before the code goes on. */
export const nextTask = () => new Promise<void>((done) => setTimeout(done))
