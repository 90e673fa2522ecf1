import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { useSetSearchParams } from '#console/app/router/search-params.ts'
import { CopyButton } from '#console/ui/buttons/buttons.tsx'
import { Combobox } from '#console/ui/forms/combobox.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import type { Token } from '#contract/entities/token.ts'
import { ConnectSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

interface TargetChoiceProps {
  readonly tokens: readonly Token[]
  readonly token: Token
  readonly models: readonly string[]
  readonly model: string | undefined
}

/** The token and the model of the configurations, and the address that they call. */
export function TargetChoice({ tokens, token, models, model }: TargetChoiceProps) {
  const t = useScreenText()
  const setSearch = useSetSearchParams(ConnectSearch)
  const address = serverAddress(useStatus())
  return (
    <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
      <Field label={t('token')}>
        {control => (
          <Combobox
            {...control}
            options={tokens.map(({ id, name, group }) => ({ value: String(id), label: name, hint: group }))}
            value={String(token.id)}
            onChange={id => setSearch({ token: id, model: undefined })}
          />
        )}
      </Field>
      <Field label={t('model')}>
        {control => (
          <Combobox
            {...control}
            options={models.map(name => ({ value: name, label: name }))}
            value={model ?? ''}
            onChange={name => setSearch({ model: name })}
          />
        )}
      </Field>
      <div className="grid content-start gap-1.5">
        <span className="text-small font-medium">{t('address')}</span>
        <div className="flex h-9 items-center rounded-control border border-line bg-sunken pr-1 pl-3 coarse:h-11">
          <code className="min-w-0 flex-1 truncate font-mono text-small">{address}</code>
          <CopyButton text={address} label={t('copyAddress')} />
        </div>
      </div>
    </div>
  )
}
