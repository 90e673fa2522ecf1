import { CopyButton } from '../../../ui/buttons/copy-button.tsx'
import { KeyValues } from '../../../ui/data/facts.tsx'
import { useText } from '../../../ui/text/text.ts'
import { useOptionForm } from '../options/option-form.ts'
import { systemText } from './text.ts'

/** What has to be filled in at the party: where people come from, and where it sends them back to. */
export function CallbackAddresses({ party }: { readonly party: 'github' | 'linuxdo' }) {
  const t = useText(systemText)
  const address = useOptionForm().textAt('ServerAddress').trim().replace(/\/+$/, '')
  if (address === '') return <p className="text-small text-warning">{t('needsServer')}</p>
  const addresses = [
    { name: t('homepage'), url: address },
    { name: t('callback'), url: `${address}/oauth/${party}` },
  ]
  return (
    <div className="rounded-card bg-sunken px-3 py-2.5">
      <KeyValues
        items={addresses.map(({ name, url }) => ({
          label: name,
          value: (
            <span className="flex items-center gap-1">
              <code className="min-w-0 font-mono break-all">{url}</code>
              <CopyButton text={url} label={t('copyAddress', { name })} />
            </span>
          ),
        }))}
      />
    </div>
  )
}
