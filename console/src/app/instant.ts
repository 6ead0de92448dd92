/** Transition of dialogs that a key opens and closes: none, since a closing one would take the keys that are meant for the next. */
export const instant = { name: 'instant', css: false }
