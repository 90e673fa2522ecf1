import { KeyRound } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import type { FactorKind } from '#contract/accounts/reauthentication.ts'
import type { GivenFactor } from '#contract/accounts/second-factor.ts'
import { Button } from '../../ui/buttons/buttons.tsx'
import { InputField } from '../../ui/forms/labelled-inputs.tsx'
import { plainErrorText } from '../api/call.ts'
import { askForPasskey } from './passkey.ts'
import { useReauthenticationText } from './reauthentication-text.ts'

interface FactorFormProps {
  readonly id: string
  readonly kinds: readonly FactorKind[]
  /** Whether a recovery code is taken, too. */
  readonly takesRecovery?: boolean
  readonly onGiven: (given: GivenFactor) => Promise<unknown>
}

const TOTP = /^\d{6}$/

/** Asks for a second factor: the code of an app, or a passkey. */
export function FactorForm({ id, kinds, takesRecovery = false, onGiven }: FactorFormProps) {
  const t = useReauthenticationText()
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const give = async (given: () => Promise<GivenFactor>) => {
    setProblem(undefined)
    try {
      await onGiven(await given())
    } catch (error) {
      setProblem(plainErrorText(error))
      input.current?.focus()
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // The dialog is a child of the form that opened it.
    event.stopPropagation()
    const code = typed.replaceAll(' ', '')
    if (code === '') {
      setProblem(t('codeNeeded'))
      return input.current?.focus()
    }
    return void give(async () => (TOTP.test(code) || !takesRecovery ? { totp: code } : { recovery: code }))
  }
  const hasCode = takesRecovery || kinds.includes('totp')
  return (
    <form id={id} noValidate className="grid gap-4" onSubmit={submit}>
      {hasCode && (
        <InputField
          label={t(takesRecovery ? 'factorOrRecovery' : 'factorCode')}
          help={t(takesRecovery ? 'recoveryHelp' : 'factorHelp')}
          error={problem}
          ref={input}
          isMono
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={event => setTyped(event.target.value)}
        />
      )}
      {kinds.includes('passkey') && (
        <Button
          icon={KeyRound}
          className="w-full"
          onClick={() => void give(() => askForPasskey({ isAlone: false }))}
        >
          {t('passkey')}
        </Button>
      )}
      {!hasCode && problem !== undefined && (
        <p role="alert" className="text-small text-danger">
          {problem}
        </p>
      )}
    </form>
  )
}
