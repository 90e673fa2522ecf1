import { createStore } from '../store.ts'

export interface Question {
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

export interface OpenQuestion extends Question {
  readonly respond: (isConfirmed: boolean) => void
}

export const openQuestion = createStore<OpenQuestion | undefined>(undefined)

/** Asks in a dialog, with the focus on Cancel. Resolves to false when the dialog is closed. */
export function confirm(question: Question): Promise<boolean> {
  openQuestion.get()?.respond(false)
  return new Promise(resolve => {
    const respond = (isConfirmed: boolean) => {
      openQuestion.set(undefined)
      resolve(isConfirmed)
    }
    openQuestion.set({ ...question, respond })
  })
}
