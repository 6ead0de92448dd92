/** Puts the focus on the first field of a form in a dialog that has opened, unless a field of it has the focus already. */
export function focusFirstField(form: HTMLElement | null): void {
  const fields = 'input:not([type=radio], [type=checkbox], :disabled, [readonly]), textarea:not(:disabled, [readonly])'
  if (form && !(document.activeElement?.matches(fields) && form.contains(document.activeElement))) form.querySelector<HTMLElement>(fields)?.focus()
}
