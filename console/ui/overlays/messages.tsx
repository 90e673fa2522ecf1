import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { Button, IconButton, uncopiedText } from '../buttons/buttons.tsx'
import { classes } from '../class-names.ts'
import { failedParts } from '../lazy-part.ts'
import { createStore, useStore } from '../store.ts'
import { useKitText } from '../text/kit-text.ts'

export type ToastKind = 'success' | 'info' | 'warning' | 'error'

interface ToastAction {
  readonly label: string
  readonly run: () => void
}

interface ShownToast {
  readonly id: number
  readonly kind: ToastKind
  readonly text: string
  readonly action: ToastAction | undefined
  /** 0: stays until it is closed. */
  readonly closesAfterMs: number
}

const SHOWN_MAX = 3
const CLOSES_AFTER_MS: Readonly<Record<ToastKind, number>> = {
  success: 3000,
  info: 4000,
  warning: 10_000,
  error: 5000,
}

let lastId = 0
const shownToasts = createStore<readonly ShownToast[]>([])

/** Shows a toast. Errors with an action stay until they are closed. */
export function toast(kind: ToastKind, text: string, action?: ToastAction): void {
  lastId += 1
  const needsAction = kind === 'error' && action !== undefined
  const shown = { id: lastId, kind, text, action, closesAfterMs: needsAction ? 0 : CLOSES_AFTER_MS[kind] }
  const others = shownToasts.get().filter(other => other.text !== text)
  shownToasts.set([...others, shown].slice(-SHOWN_MAX))
}

const closeToast = (id: number): void => shownToasts.set(shownToasts.get().filter(shown => shown.id !== id))

const KIND_STYLES: Readonly<Record<ToastKind, readonly [LucideIcon, string]>> = {
  success: [CircleCheck, 'text-success'],
  info: [Info, 'text-info'],
  warning: [TriangleAlert, 'text-warning'],
  error: [CircleAlert, 'text-danger'],
}

/**
 * Shows the toasts, above the footer of a sheet. Mounted once. The live region exists before the first toast, because an
 * open dialog hides everything else from screen readers except existing live regions.
 */
export function Toaster() {
  const t = useKitText()
  const toasts = useStore(shownToasts)
  const areFailed = useStore(failedParts) > 0
  const [isPaused, setPaused] = useState(false)
  const hold = { onPointerEnter: () => setPaused(true), onPointerLeave: () => setPaused(false) }
  return createPortal(
    <section
      aria-label={t('notifications')}
      aria-live="polite"
      {...hold}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
      className="pointer-events-none fixed inset-x-3 bottom-19 z-70 grid justify-items-end gap-2 sm:left-auto sm:right-4"
    >
      {toasts.map(toast => (
        <ToastCard key={toast.id} toast={toast} isPaused={isPaused} />
      ))}
      {areFailed && <FailedPartsCard />}
    </section>,
    document.body,
  )
}

/** Stays as long as something is missing. Browsers keep the failure of a file, so only a reload asks for it again. */
function FailedPartsCard() {
  const t = useKitText()
  return (
    <MessageCard kind="error" text={t('partFailed')}>
      <Button size="small" variant="link" className="-my-1" onClick={() => window.location.reload()}>
        {t('reload')}
      </Button>
    </MessageCard>
  )
}

interface MessageCardProps {
  readonly kind: ToastKind
  readonly text: string
  readonly children: ReactNode
}

function MessageCard({ kind, text, children }: MessageCardProps) {
  const [Icon, colour] = KIND_STYLES[kind]
  return (
    <div
      {...(kind === 'error' && { role: 'alert' })}
      className="pointer-events-auto flex w-full items-start gap-2.5 rounded-card border border-line bg-raised py-3 pr-2 pl-3.5 shadow-menu sm:w-90"
    >
      <Icon size={18} aria-hidden className={classes('mt-px shrink-0', colour)} />
      <p className="min-w-0 flex-1 break-words text-body">{text}</p>
      {children}
    </div>
  )
}

function ToastCard({ toast, isPaused }: { readonly toast: ShownToast; readonly isPaused: boolean }) {
  const t = useKitText()
  const { id, closesAfterMs } = toast
  useEffect(() => {
    if (isPaused || closesAfterMs === 0) return undefined
    const timer = setTimeout(() => closeToast(id), closesAfterMs)
    return () => clearTimeout(timer)
  }, [id, closesAfterMs, isPaused])
  return (
    <MessageCard kind={toast.kind} text={toast.text}>
      {toast.action && (
        <Button
          size="small"
          variant="link"
          className="-my-1"
          onClick={() => {
            toast.action?.run()
            closeToast(id)
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <IconButton
        label={t('close')}
        icon={X}
        size="small"
        hasTooltip={false}
        className="-my-1"
        onClick={() => closeToast(id)}
      />
    </MessageCard>
  )
}

/** Closes all toasts, an open question and a text that could not be copied. */
export function closeMessages(): void {
  shownToasts.set([])
  pendingConfirm.get()?.respond(false)
  uncopiedText.set(undefined)
}

export interface ConfirmOptions {
  /** Names the object: "Delete token production?" */
  readonly title: string
  /** Explains the effect. */
  readonly text?: string
  /** Label of the confirm button. */
  readonly action: string
  readonly isDanger?: boolean
  /** For irreversible actions: the user must type this text first. */
  readonly typedConfirmation?: { readonly text: string; readonly label: string }
  /** Label of the cancel button. */
  readonly cancelLabel?: string
}

export interface PendingConfirm extends ConfirmOptions {
  readonly respond: (isConfirmed: boolean) => void
}

export const pendingConfirm = createStore<PendingConfirm | undefined>(undefined)

/** Asks in a dialog, with the focus on Cancel. Resolves to false when the dialog is closed. */
export function confirm(question: ConfirmOptions): Promise<boolean> {
  pendingConfirm.get()?.respond(false)
  return new Promise(resolve => {
    const respond = (isConfirmed: boolean) => {
      pendingConfirm.set(undefined)
      resolve(isConfirmed)
    }
    pendingConfirm.set({ ...question, respond })
  })
}
