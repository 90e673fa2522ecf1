import { Download } from 'lucide-react'
import { basePath } from '#console/app/api/base-path.ts'
import { downloadText, toCsv } from '#console/app/list/csv.ts'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import type { Invitation } from '../../contract/members.ts'
import { useScreenText } from './text.ts'

const keyOf = ({ token }: Invitation): string => (token ? `sk-${token.key}` : '')
const linkOf = ({ invitation }: Invitation): string =>
  invitation && `${window.location.origin}${basePath}/join?invitation=${invitation}`

/** Keys and links. Without an invitation only the token was made. */
export interface Made {
  readonly title: string
  readonly invitations: readonly Invitation[]
}

interface MadeDialogProps {
  readonly made: Made
  readonly onClose: () => void
}

/** Keys and links of people, which are shown once. */
export function MadeDialog({ made: { title, invitations }, onClose }: MadeDialogProps) {
  const t = useScreenText()
  const rows = invitations.map(person => [person.name, keyOf(person), linkOf(person)])
  const save = () =>
    downloadText('members.csv', toCsv([[t('name'), t('key'), t('link')], ...rows]), 'text/csv')
  return (
    <Dialog
      title={title}
      isPersistent
      width="normal"
      onClose={onClose}
      footer={
        <>
          <CopyButton
            text={rows.map(row => row.join('\t')).join('\n')}
            label={t('copyAll')}
            buttonText={t('copyAll')}
            size="normal"
          />
          <Button icon={Download} onClick={save}>
            {t('download')}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {t('done')}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        <Banner tone="warning">{t('madeText')}</Banner>
        <ul
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
          tabIndex={0}
          aria-label={title}
          className="max-h-96 divide-y divide-line overflow-y-auto rounded-card border border-line"
        >
          {invitations.map(person => (
            <MadeItem key={person.id} person={person} />
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

function MadeItem({ person }: { readonly person: Invitation }) {
  const t = useScreenText()
  const { name } = person
  const secrets = [
    { secret: keyOf(person), label: t('copyKey', { name }), kind: t('key') },
    { secret: linkOf(person), label: t('copyLink', { name }), kind: t('link') },
  ].filter(({ secret }) => secret !== '')
  return (
    <li className="grid gap-1 px-3 py-2">
      <span className="truncate font-medium">{name}</span>
      {secrets.map(({ secret, label, kind }) => (
        <span key={kind} className="flex items-center gap-2 text-small">
          <span className="shrink-0 text-muted">{kind}</span>
          <code className="min-w-0 flex-1 truncate font-mono">{secret}</code>
          <CopyButton text={secret} label={label} />
        </span>
      ))}
    </li>
  )
}
