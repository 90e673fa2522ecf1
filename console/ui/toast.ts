import { createStore } from './create-store.ts'

export type ToastKind = 'success' | 'info' | 'warning' | 'error'

export interface ToastAction {
  readonly label: string
  readonly run: () => void
}

export interface ShownToast {
  readonly id: number
  readonly kind: ToastKind
  readonly text: string
  readonly action: ToastAction | undefined
  /** 0 stays until it is closed. */
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
export const shownToasts = createStore<readonly ShownToast[]>([])

/** A short message at the edge of the page. One that needs an action stays until it is closed. */
export function toast(kind: ToastKind, text: string, action?: ToastAction): void {
  lastId += 1
  const needsAction = kind === 'error' && action !== undefined
  const shown = { id: lastId, kind, text, action, closesAfterMs: needsAction ? 0 : CLOSES_AFTER_MS[kind] }
  const others = shownToasts.get().filter(other => other.text !== text)
  shownToasts.set([...others, shown].slice(-SHOWN_MAX))
}

export const closeToast = (id: number): void =>
  shownToasts.set(shownToasts.get().filter(shown => shown.id !== id))
