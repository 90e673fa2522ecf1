import { createStore } from './create-store.ts'

/** The text that could not be copied: a dialog shows it selected. */
export const uncopiedText = createStore<string | undefined>(undefined)

/** Copies a text. When the browser refuses, a dialog shows it selected, and the answer is false. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    if (copyThroughField(text)) return true
    uncopiedText.set(text)
    return false
  }
}

/** The older way, for pages that are not served over https. */
function copyThroughField(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.style.position = 'fixed'
  field.style.opacity = '0'
  const focused = document.activeElement
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
