// Browser interfaces that jsdom does not have.
window.matchMedia ??= ((query: string) => ({ matches: false, media: query, addEventListener() {}, removeEventListener() {} })) as unknown as typeof window.matchMedia
window.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
window.scrollTo = () => undefined
Element.prototype.scrollIntoView ??= () => undefined
/** Draws nothing: charts are looked at in the browser tests. */
const context: object = new Proxy({}, { get: (_, name) => (name === 'measureText' ? () => ({ width: 0 }) : () => context), set: () => true })
HTMLCanvasElement.prototype.getContext = (() => context) as unknown as typeof HTMLCanvasElement.prototype.getContext
