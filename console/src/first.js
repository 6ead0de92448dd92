// Runs before the first paint: theme and language of the last visit.
;(function () {
  var root = document.documentElement
  var saved = {}
  try {
    saved = JSON.parse(localStorage.getItem('ringmaster.settings') || '{}') || {}
  } catch {
    saved = {}
  }
  var dark = saved.theme === 'dark' || (saved.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.classList.toggle('dark', dark)
  if (saved.language) root.lang = saved.language
})()
