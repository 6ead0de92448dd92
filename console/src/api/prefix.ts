/** Returns the path below which the server answers: '' or '/xxl-job-admin'. The server writes it into the page. */
export function prefixOf(page: Document): string {
  const text = page.querySelector('meta[name="ringmaster-prefix"]')?.getAttribute('content') ?? ''
  return text.includes('%') ? '' : text.replace(/\/+$/, '')
}

export const prefix = prefixOf(document)
export const apiBase = `${prefix}/api/v1`
export const consoleBase = `${prefix}/console/`
