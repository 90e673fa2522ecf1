import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ButtonSize, ButtonVariant } from '../class-names.ts'
import { createStore } from '../store.ts'
import { useKitText } from '../text/kit-text.ts'
import { Button, IconButton } from './button.tsx'

const TICK_MS = 2000

interface CopyButtonProps {
  /** The text, or a function that returns it when the button is pressed. */
  readonly text: string | (() => string)
  /** Says what is copied. "Copy" alone is enough only right beside the text. */
  readonly label: string
  /** Text on the button. Without it the button shows only an icon. */
  readonly buttonText?: string
  readonly variant?: ButtonVariant
  readonly size?: ButtonSize
}

/** Copies a text, shows a check mark for two seconds and tells screen readers. */
export function CopyButton({ text, label, buttonText, variant, size = 'small' }: CopyButtonProps) {
  const t = useKitText()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), TICK_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => setCopied(await copyText(typeof text === 'string' ? text : text()))
  const icon = isCopied ? Check : Copy
  return (
    <>
      {buttonText === undefined ? (
        <IconButton label={label} icon={icon} size={size} {...(variant ? { variant } : {})} onClick={copy} />
      ) : (
        <Button aria-label={label} icon={icon} size={size} {...(variant ? { variant } : {})} onClick={copy}>
          {isCopied ? t('copied') : buttonText}
        </Button>
      )}
      <span role="status" className="sr-only">
        {isCopied ? t('copied') : ''}
      </span>
    </>
  )
}

/** Text that the browser refused to copy. A dialog shows it selected. */
export const uncopiedText = createStore<string | undefined>(undefined)

/** Copies a text. When the browser refuses, a dialog shows the text selected, and this resolves to false. */
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

/** Fallback for pages without https, where the clipboard API is missing. */
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
