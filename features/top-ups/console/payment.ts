import { useState } from 'react'
import { type PaymentForm, type Purchase, useWalletMutations } from './queries.ts'

type Step =
  | { readonly state: 'idle' }
  | { readonly state: 'confirming'; readonly purchase: Purchase }
  | { readonly state: 'waiting'; readonly tradeNo: string }

const PAYMENT_WINDOW = 'tollgate-payment'
const THIS_WINDOW = '_self'
const TRADE_NO_FIELD = 'out_trade_no'

/** The steps of a payment: confirm the price, pay in a separate window, wait until the order is paid. */
export function usePayment() {
  const [step, setStep] = useState<Step>({ state: 'idle' })
  const { pay, refresh } = useWalletMutations()
  const send = async (purchase: Purchase) => {
    const opened = openWindow()
    try {
      const form = await pay.mutateAsync(purchase)
      postForm(form, opened ? PAYMENT_WINDOW : THIS_WINDOW)
      setStep({ state: 'waiting', tradeNo: form.fields[TRADE_NO_FIELD] ?? '' })
    } catch (error) {
      opened?.close()
      throw error
    }
  }
  return {
    step,
    isSending: pay.isPending,
    confirm: (purchase: Purchase) => setStep({ state: 'confirming', purchase }),
    send,
    close: () => {
      setStep({ state: 'idle' })
      void refresh()
    },
  }
}

/** Must run in the click handler, before the order is placed: browsers block windows that open later. */
function openWindow(): Window | null {
  const opened = window.open('', PAYMENT_WINDOW)
  if (opened) opened.opener = null
  return opened
}

/** Posts the order to the payment provider in the given window. */
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
