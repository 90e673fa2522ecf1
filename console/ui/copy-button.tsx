import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import type { ButtonLook, ButtonSize } from './button-classes.ts'
import { copyText } from './copy-text.ts'
import { IconButton } from './icon-button.tsx'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'

const TICK_MS = 2000

interface CopyButtonProps {
  /** The text, or how to get it when the button is pressed. */
  readonly text: string | (() => string)
  /** Names what is copied; "Copy" alone is enough only beside the text. */
  readonly label: string
  /** Words on the button; only an icon without. */
  readonly words?: string
  readonly look?: ButtonLook
  readonly size?: ButtonSize
}

/** Copies, turns to a tick for two seconds and says so to screen readers. */
export function CopyButton({ text, label, words, look, size = 'small' }: CopyButtonProps) {
  const t = useText(kitText)
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
      {words === undefined ? (
        <IconButton label={label} icon={icon} size={size} {...(look ? { look } : {})} onClick={copy} />
      ) : (
        <Button aria-label={label} icon={icon} size={size} {...(look ? { look } : {})} onClick={copy}>
          {isCopied ? t('copied') : words}
        </Button>
      )}
      <span role="status" className="sr-only">
        {isCopied ? t('copied') : ''}
      </span>
    </>
  )
}
