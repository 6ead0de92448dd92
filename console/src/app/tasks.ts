import { onMounted, ref } from 'vue'

/** Ends the present task: the browser handles input and draws before the code goes on. */
export const nextTask = () => new Promise<void>((done) => setTimeout(done))

/** Returns false, and true from the next task on: for parts of a page that take long to make. */
export function useLater() {
  const later = ref(false)
  onMounted(async () => {
    await nextTask()
    later.value = true
  })
  return later
}
