import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { formatDateTime } from '#console/app/format/format.tsx'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { useUser } from '#console/app/session/session.ts'
import { FormErrorBanner, SIGN_IN_LINK, SignInPage } from '#console/app/sign-in/sign-in-page.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Field, TextInput } from '#console/ui/forms/fields.tsx'
import { SelectField } from '#console/ui/forms/labelled-inputs.tsx'
import { TOKEN_NAME_LENGTH_MAX } from '#contract/entities/token-fields.ts'
import type { DeviceSignIn } from '../contract.ts'
import { approve, deny, groupsQuery, isUserCode, signInQuery } from './queries.ts'
import { DeviceSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

export function DevicePage() {
  const t = useScreenText()
  const { user_code: code } = useSearchParams(DeviceSearch)
  return (
    <SignInPage
      heading={t('heading')}
      below={
        <Link to="/token" className={SIGN_IN_LINK}>
          {t('tokens')}
        </Link>
      }
    >
      {isUserCode(code) ? <FoundSignIn key={code} code={code} /> : <CodeForm typed={code} />}
    </SignInPage>
  )
}

function CodeForm({ typed, error: failed }: { readonly typed: string; readonly error?: string }) {
  const t = useScreenText()
  const setSearch = useSetSearchParams(DeviceSearch)
  const [code, setCode] = useState(typed)
  const [error, setError] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isUserCode(code)) setSearch({ user_code: code.trim() })
    else setError(t('codeInvalid'))
  }
  return (
    <form noValidate className="grid gap-5" onSubmit={submit}>
      {failed !== undefined && <FormErrorBanner error={failed} />}
      <p className="text-muted">{t('intro')}</p>
      <Field label={t('code')} error={error}>
        {control => (
          <TextInput
            {...control}
            isMono
            name="user_code"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            placeholder="WDJB-MJHT"
            value={code}
            onChange={event => setCode(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" size="large">
        {t('next')}
      </Button>
    </form>
  )
}

/** Shows who asks before anything can be allowed. */
function FoundSignIn({ code }: { readonly code: string }) {
  const { data, error } = useQuery(signInQuery(code))
  if (error) return <CodeForm typed="" error={plainErrorText(error)} />
  return data ? <DecisionForm signIn={data} /> : <Skeleton className="h-80 w-full" />
}

function DecisionForm({ signIn }: { readonly signIn: DeviceSignIn }) {
  const t = useScreenText()
  const user = useUser()
  const [name, setName] = useState(signIn.name)
  const [group, setGroup] = useState('')
  const { user_code } = signIn
  const decision = useMutation({
    mutationFn: async (isAllowed: boolean) => {
      await (isAllowed ? approve({ user_code, name, group }) : deny(user_code))
      return isAllowed
    },
  })
  const { data: isAllowed, isPending, variables } = decision
  if (isAllowed !== undefined)
    return (
      <div role="status">
        <Banner tone={isAllowed ? 'success' : 'info'}>{t(isAllowed ? 'approved' : 'denied')}</Banner>
      </div>
    )
  return (
    <form
      noValidate
      className="grid gap-5"
      onSubmit={event => {
        event.preventDefault()
        if (!isPending) decision.mutate(true)
      }}
    >
      {decision.error && <FormErrorBanner error={plainErrorText(decision.error)} />}
      <h2 className="font-medium">{t('question', { username: user?.username ?? '' })}</h2>
      <output className="text-center font-mono text-title font-semibold tracking-widest">{user_code}</output>
      <Banner tone="warning">{t('compare')}</Banner>
      <KeyValues
        items={[
          { label: t('address'), value: signIn.address },
          { label: t('requestedAt'), value: formatDateTime(signIn.created_time) },
          { label: t('allowed'), value: t('allowedText') },
        ]}
      />
      <TokenFields name={name} onName={setName} group={group} onGroup={setGroup} />
      <div className="grid gap-2.5">
        <Button type="submit" variant="primary" size="large" isBusy={isPending && variables}>
          {t('approve')}
        </Button>
        <Button
          size="large"
          isBusy={isPending && !variables}
          onClick={() => !isPending && decision.mutate(false)}
        >
          {t('deny')}
        </Button>
      </div>
    </form>
  )
}

interface TokenFieldsProps {
  readonly name: string
  readonly onName: (name: string) => void
  readonly group: string
  readonly onGroup: (group: string) => void
}

function TokenFields({ name, onName, group, onGroup }: TokenFieldsProps) {
  const t = useScreenText()
  const ownGroup = useUser()?.group ?? ''
  const { data: groups = {} } = useQuery(groupsQuery)
  const others = Object.keys(groups).filter(other => other !== ownGroup)
  return (
    <>
      <Field label={t('name')}>
        {control => (
          <TextInput
            {...control}
            name="name"
            value={name}
            maxLength={TOKEN_NAME_LENGTH_MAX}
            onChange={event => onName(event.target.value)}
          />
        )}
      </Field>
      {others.length > 0 && (
        <SelectField
          label={t('group')}
          value={group}
          options={[
            { value: '', label: t('ownGroup') },
            ...others.map(other => ({ value: other, label: other })),
          ]}
          onChange={onGroup}
        />
      )}
    </>
  )
}
