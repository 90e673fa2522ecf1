import { createStore } from '../store.ts'

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
