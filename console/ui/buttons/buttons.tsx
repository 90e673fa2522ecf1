import { Check, Copy, LoaderCircle, type LucideIcon } from 'lucide-react'
import { type ButtonHTMLAttributes, type ReactNode, type Ref, useEffect, useState } from 'react'
import {
  type ButtonSize,
  type ButtonVariant,
  buttonClasses,
  classes,
  iconButtonClasses,
} from '../class-names.ts'
import { createStore } from '../store.ts'
import { useKitText } from '../text/kit-text.ts'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: ButtonVariant
  readonly size?: ButtonSize
  readonly icon?: LucideIcon
  /** Shows a spinner and ignores clicks. The width does not change. */
  readonly isBusy?: boolean
  readonly children: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

/** A text button. Its type defaults to `button`, so that it does not submit a form by accident. */
export function Button({
  variant = 'default',
  size = 'normal',
  icon: Icon,
  isBusy = false,
  ...rest
}: ButtonProps) {
  const { children, className, onClick, type = 'button', ...attributes } = rest
  return (
    <button
      {...attributes}
      type={type}
      aria-busy={isBusy || undefined}
      onClick={isBusy ? event => event.preventDefault() : onClick}
      className={classes(buttonClasses(variant, size), isBusy && 'relative cursor-progress', className)}
    >
      {isBusy && (
        <span className="absolute inset-0 flex items-center justify-center">
          <Spinner />
        </span>
      )}
      {Icon && <Icon size={16} aria-hidden className={classes(isBusy && 'invisible')} />}
      <span className={classes(isBusy && 'opacity-0')}>{children}</span>
    </button>
  )
}

/** Decorative: put the loading text beside it. */
export function Spinner({ size = 16 }: { readonly size?: number }) {
  return <LoaderCircle size={size} aria-hidden className="animate-spin" />
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Accessible name, also shown as a tooltip. */
  readonly label: string
  readonly icon: LucideIcon
  readonly variant?: ButtonVariant
  readonly size?: ButtonSize
  readonly isBusy?: boolean
  /** Shown after the label in the tooltip. */
  readonly shortcut?: string
  /** False where the label is visible beside the button. */
  readonly hasTooltip?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

/** A square button with only an icon. The label is required for screen readers. */
export function IconButton(props: IconButtonProps) {
  const {
    label,
    icon: Icon,
    variant = 'ghost',
    size = 'normal',
    isBusy = false,
    shortcut,
    hasTooltip = true,
    ...rest
  } = props
  const { className, type = 'button', disabled, ...attributes } = rest
  return (
    <button
      {...attributes}
      type={type}
      disabled={disabled || isBusy}
      aria-label={label}
      aria-busy={isBusy || undefined}
      data-tooltip={hasTooltip ? label : undefined}
      data-shortcut={shortcut}
      className={classes(
        iconButtonClasses(variant, size),
        variant === 'ghost' && 'text-muted enabled:hover:text-fg',
        className,
      )}
    >
      {isBusy ? <Spinner /> : <Icon size={size === 'small' ? 15 : 17} aria-hidden />}
    </button>
  )
}

const TICK_MS = 2000

interface CopyButtonProps {
  /** The text, or a function that returns it when the button is pressed; undefined: there is nothing to copy. */
  readonly text: string | (() => string | Promise<string | undefined>)
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
  const copy = async () => {
    const copied = typeof text === 'string' ? text : await text()
    if (copied !== undefined) setCopied(await copyText(copied))
  }
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
