import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useRef, useState } from 'react'
import { bindWechatByPost } from '#contract/accounts/oauth.ts'
import {
  FactorKind,
  getReauthentication,
  type ReauthenticationMethod,
  reauthenticate,
  sendReauthenticationCode,
} from '#contract/accounts/reauthentication.ts'
import { confirmFactor } from '#contract/accounts/second-factor.ts'
import { Button } from '../../ui/buttons/buttons.tsx'
import { Skeleton } from '../../ui/feedback/feedback.tsx'
import { Field, PasswordInput, TextInput } from '../../ui/forms/fields.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { toast } from '../../ui/overlays/messages.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { call, plainErrorText } from '../api/call.ts'
import { LoadError } from '../api/load-error.tsx'
import { useResendLock } from '../sign-in/use-resend-lock.ts'
import { FactorForm } from './factor-form.tsx'
import { ProviderButtons } from './reauthentication-providers.tsx'
import { useReauthenticationText } from './reauthentication-text.ts'
import { useSignOut } from './self.ts'
import { useUser } from './session.ts'

interface ReauthenticationDialogProps {
  readonly onDone: (isConfirmed: boolean) => void
}

/** Asks users to confirm their identity: by password, or by what an account without one has. */
export function ReauthenticationDialog({ onDone }: ReauthenticationDialogProps) {
  const t = useReauthenticationText()
  const k = useKitText()
  const form = useId()
  const signOut = useSignOut()
  const options = useQuery({
    queryKey: ['reauthentication'],
    queryFn: ({ signal }) => call(getReauthentication, { signal }),
    gcTime: 0,
  })
  const methods = options.data?.methods ?? []
  const factors = FactorKind.options.filter(kind => methods.includes(kind))
  const typed = methods.find(method => method === 'password' || method === 'email')
  const confirmation = useMutation({
    meta: { isQuiet: true },
    mutationFn: (body: { readonly password: string } | { readonly code: string }) =>
      call(reauthenticate, { body }),
    onSuccess: () => onDone(true),
  })
  const signInAgain = () => {
    onDone(false)
    void signOut()
  }
  return (
    <Dialog
      title={t('title')}
      onClose={() => onDone(false)}
      footer={
        <>
          <Button onClick={() => onDone(false)}>{k('cancel')}</Button>
          {typed || factors.includes('totp') ? (
            <Button type="submit" form={form} variant="primary" isBusy={confirmation.isPending}>
              {t('confirm')}
            </Button>
          ) : (
            factors.length === 0 && (
              <Button variant="primary" onClick={signInAgain}>
                {t('signInAgain')}
              </Button>
            )
          )}
        </>
      }
    >
      <p className="mb-4 text-muted">{t('why')}</p>
      {options.isPending && <Skeleton className="h-9 w-full" />}
      {options.error && (
        <LoadError error={options.error} isBusy={options.isFetching} onRetry={() => void options.refetch()} />
      )}
      {typed && (
        <ProofForm
          id={form}
          method={typed}
          error={confirmation.error}
          onSubmit={body => confirmation.mutate(body)}
        />
      )}
      {factors.length > 0 && (
        <FactorForm
          id={form}
          kinds={factors}
          onGiven={async ({ recovery: _, ...given }) => {
            await call(confirmFactor, { body: given })
            onDone(true)
          }}
        />
      )}
      <ProviderButtons
        methods={methods}
        bindWechat={code => call(bindWechatByPost, { body: { code } })}
        onConfirmed={() => onDone(true)}
      />
    </Dialog>
  )
}

interface ProofFormProps {
  readonly id: string
  readonly method: Extract<ReauthenticationMethod, 'password' | 'email'>
  readonly error: Error | null
  readonly onSubmit: (body: { readonly password: string } | { readonly code: string }) => void
}

function ProofForm({ id, method, error, onSubmit }: ProofFormProps) {
  const t = useReauthenticationText()
  const user = useUser()
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')
  const [isMissing, setMissing] = useState(false)
  const isPassword = method === 'password'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // The dialog is a child of the form that opened it.
    event.stopPropagation()
    setMissing(typed.trim() === '')
    if (typed.trim() === '') return input.current?.focus()
    onSubmit(isPassword ? { password: typed } : { code: typed.trim() })
  }
  const missing = t(isPassword ? 'passwordNeeded' : 'codeNeeded')
  const problem = isMissing ? missing : error ? plainErrorText(error) : undefined
  const field = {
    value: typed,
    onChange: (event: { readonly target: { readonly value: string } }) => setTyped(event.target.value),
  }
  return (
    <form id={id} noValidate className="grid gap-4" onSubmit={submit}>
      <input
        type="text"
        name="username"
        autoComplete="username"
        value={user?.username ?? ''}
        readOnly
        hidden
      />
      {isPassword ? (
        <Field label={t('password')} error={problem}>
          {control => <PasswordInput {...control} {...field} ref={input} autoComplete="current-password" />}
        </Field>
      ) : (
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <Field label={t('code')} error={problem}>
              {control => <TextInput {...control} {...field} ref={input} autoComplete="one-time-code" />}
            </Field>
          </div>
          <SendCode />
        </div>
      )}
    </form>
  )
}

function SendCode() {
  const t = useReauthenticationText()
  const [seconds, lock] = useResendLock()
  const send = useMutation({
    mutationFn: () => call(sendReauthenticationCode, {}),
    onSuccess: () => {
      lock()
      toast('success', t('codeSent'))
    },
  })
  return (
    <Button className="mt-6.5" disabled={seconds > 0} isBusy={send.isPending} onClick={() => send.mutate()}>
      {seconds > 0 ? t('resendIn', { count: seconds }) : t('sendCode')}
    </Button>
  )
}
