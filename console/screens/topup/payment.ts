import { useState } from 'react'
import { type PaymentForm, type PaymentMethod, useWalletMutations } from './queries.ts'

/** What somebody is about to pay for. */
export interface Purchase {
  readonly amount: number
  readonly method: PaymentMethod
}

type Step =
  | { readonly is: 'idle' }
  | { readonly is: 'confirming'; readonly purchase: Purchase }
  | { readonly is: 'waiting'; readonly tradeNo: string }

const WINDOW = 'tollgate-payment'
const THIS_WINDOW = '_self'
const TRADE_NUMBER = 'out_trade_no'

/** The way of a payment: confirm, pay in a window of its own, wait for the notice. */
export function usePayment() {
  const [step, setStep] = useState<Step>({ is: 'idle' })
  const { pay, refresh } = useWalletMutations()
  const send = async (purchase: Purchase) => {
    const opened = openWindow()
    try {
      const form = await pay.mutateAsync(purchase)
      postForm(form, opened ? WINDOW : THIS_WINDOW)
      setStep({ is: 'waiting', tradeNo: form.fields[TRADE_NUMBER] ?? '' })
    } catch (error) {
      opened?.close()
      throw error
    }
  }
  return {
    step,
    isSending: pay.isPending,
    confirm: (purchase: Purchase) => setStep({ is: 'confirming', purchase }),
    send,
    close: () => {
      setStep({ is: 'idle' })
      void refresh()
    },
  }
}

/** Opened with the click itself, before the order is made: later a browser would block it. */
function openWindow(): Window | null {
  const opened = window.open('', WINDOW)
  if (opened) opened.opener = null
  return opened
}

/** Goes to the payment provider as a form that is posted. */
function postForm({ url, fields }: PaymentForm, target: string): void {
  const form = document.createElement('form')
  form.method = 'POST'
  form.action = url
  form.target = target
  form.hidden = true
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input')
    input.type = 'hidden'
    input.name = name
    input.value = value
    form.append(input)
  }
  document.body.append(form)
  form.submit()
  form.remove()
}
