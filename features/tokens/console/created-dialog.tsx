import { useQuery } from '@tanstack/react-query'
import { CircleCheck, Download } from 'lucide-react'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { downloadText, toCsv } from '#console/app/list/csv.ts'
import { useExampleModel } from '#console/app/snippets/example-model.ts'
import { firstCallSnippets } from '#console/app/snippets/first-call.ts'
import { Button, CopyButton, Spinner } from '#console/ui/buttons/buttons.tsx'
import { SecretField } from '#console/ui/forms/secret-field.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { CodeSnippet } from '#console/ui/text/code-snippet.tsx'
import type { Token } from '#contract/entities/token.ts'
import { firstRequestQuery } from './queries.ts'
import { useScreenText } from './text.ts'
import { copyLines, fullKey } from './token.ts'

interface CreatedDialogProps {
  readonly tokens: readonly Token[]
  readonly onClose: () => void
}

/** Shows the keys of new tokens until the user confirms that they are saved. */
export function CreatedDialog({ tokens, onClose }: CreatedDialogProps) {
  const t = useScreenText()
  const [first] = tokens
  const isSingle = tokens.length === 1
  return (
    <Dialog
      title={isSingle ? t('savedTitle') : t('savedManyTitle', { count: tokens.length })}
      width="normal"
      isPersistent
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t(isSingle ? 'keepKey' : 'keepKeys')}
        </Button>
      }
    >
      <p className="mb-4 text-muted">{t('savedText')}</p>
      {isSingle && first ? <SingleKey token={first} /> : <KeyList tokens={tokens} />}
    </Dialog>
  )
}

function SingleKey({ token }: { readonly token: Token }) {
  const t = useScreenText()
  const status = useStatus()
  const { data: isReceived = false } = useQuery(firstRequestQuery(token.id))
  const address = serverAddress(status)
  const baseUrl = `${address}/v1`
  const model = useExampleModel(token)
  return (
    <div className="grid gap-4">
      <SecretField secret={fullKey(token)} label={t('yourKey')} head="sk-" />
      <div className="flex items-center gap-2 rounded-control border border-line py-1 pr-1 pl-3">
        <span className="shrink-0 text-small text-muted">{t('baseUrl')}</span>
        <code className="min-w-0 flex-1 truncate font-mono text-small">{baseUrl}</code>
        <CopyButton text={baseUrl} label={t('copyBaseUrl')} />
      </div>
      <CodeSnippet
        label={t('example')}
        snippets={firstCallSnippets({ address, key: fullKey(token), model })}
      />
      <p role="status" className="flex items-center gap-2 text-small text-muted">
        {isReceived ? <CircleCheck size={16} aria-hidden className="text-success" /> : <Spinner />}
        {t(isReceived ? 'received' : 'waiting')}
      </p>
    </div>
  )
}

function KeyList({ tokens }: { readonly tokens: readonly Token[] }) {
  const t = useScreenText()
  const csv = () => toCsv([[t('name'), t('key')], ...tokens.map(token => [token.name, fullKey(token)])])
  return (
    <div className="grid gap-3">
      <ul className="max-h-64 divide-y divide-line overflow-y-auto rounded-card border border-line">
        {tokens.map(token => (
          <li key={token.id} className="flex items-center gap-3 py-1 pr-1 pl-3">
            <span className="min-w-0 flex-1 truncate">{token.name}</span>
            <CopyButton text={fullKey(token)} label={t('copyKey', { name: token.name })} />
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={() => copyLines(tokens)} label={t('copyAll')} buttonText={t('copyAll')} />
        <Button
          size="small"
          icon={Download}
          onClick={() => downloadText('tokens.txt', `${copyLines(tokens)}\n`)}
        >
          {t('downloadText')}
        </Button>
        <Button size="small" icon={Download} onClick={() => downloadText('tokens.csv', csv(), 'text/csv')}>
          {t('downloadCsv')}
        </Button>
      </div>
    </div>
  )
}
