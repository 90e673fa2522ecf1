import { createStore } from '../store.ts'

export interface Question {
  /** Names the thing: "Delete token production?" */
  readonly title: string
  /** Says the effect. */
  readonly text?: string
  /** The words on the button that does it. */
  readonly action: string
  readonly isDanger?: boolean
  /** For what cannot be undone: this must be typed first. */
  readonly typed?: { readonly text: string; readonly label: string }
  /** The words on the other button. */
  readonly otherwise?: string
}

export interface OpenQuestion extends Question {
  readonly answer: (isConfirmed: boolean) => void
}

export const openQuestion = createStore<OpenQuestion | undefined>(undefined)

/** Asks in a dialog. The focus stands on Cancel; false when it is closed without an answer. */
export function confirm(question: Question): Promise<boolean> {
  openQuestion.get()?.answer(false)
  return new Promise(resolve => {
    const answer = (isConfirmed: boolean) => {
      openQuestion.set(undefined)
      resolve(isConfirmed)
    }
    openQuestion.set({ ...question, answer })
  })
}
