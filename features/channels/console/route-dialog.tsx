import { useQuery } from '@tanstack/react-query'
import { errorText } from '#console/app/api/call.ts'
import { ChannelLink } from '#console/app/list/record-link.tsx'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { useSkipReasonText } from '#console/app/skip-reason.ts'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { shareText } from '#console/ui/data/share.ts'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Combobox } from '#console/ui/forms/combobox.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { SelectField } from '#console/ui/forms/labelled-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import type { RoutePreview } from '../contract/route-preview.ts'
import { useDialogText } from './dialog-text.ts'
import { enabledModelsQuery, groupsQuery, routeQuery } from './queries.ts'
import { ChannelSearch, GROUP_DEFAULT } from './search-params.ts'

/** Previews the channels that a request of a group for a model would be sent to, in order. Nothing is sent. */
export function RouteDialog() {
  const t = useDialogText()
  const { route: model, routegroup: group } = useSearchParams(ChannelSearch)
  const setUrl = useSetSearchParams(ChannelSearch)
  const { data: groups = [GROUP_DEFAULT] } = useQuery(groupsQuery)
  const { data: models = [] } = useQuery(enabledModelsQuery)
  return (
    <Dialog
      title={t('previewRoute')}
      width="large"
      onClose={() => setUrl({ preview: '', route: '', routegroup: undefined })}
    >
      <div className="grid gap-4 pt-2">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t('model')}>
            {control => (
              <Combobox
                {...control}
                options={models.map(value => ({ value, label: value }))}
                value={model}
                onChange={route => setUrl({ route })}
              />
            )}
          </Field>
          <SelectField
            label={t('group')}
            options={groups.map(value => ({ value, label: value }))}
            value={group}
            onChange={routegroup => setUrl({ routegroup })}
          />
        </div>
        {model === '' ? (
          <p className="text-small text-muted">{t('chooseModel')}</p>
        ) : (
          <Route model={model} group={group} />
        )}
      </div>
    </Dialog>
  )
}

function Route({ model, group }: { readonly model: string; readonly group: string }) {
  const t = useDialogText()
  const { data: route, error } = useQuery(routeQuery(model, group))
  if (error)
    return (
      <Banner tone="danger" isAlert>
        {errorText(error)}
      </Banner>
    )
  if (!route) return <Skeleton className="h-24 w-full" />
  return (
    <>
      {route.refusal && (
        <Banner tone="warning">
          {t('noCandidates')} · <span className="font-mono text-caption">{route.refusal.code}</span>
        </Banner>
      )}
      {route.candidates.length > 0 && <CandidateTable candidates={route.candidates} />}
      {!route.refusal && (
        <p role="status" className="text-small text-muted">
          {t('tries', { count: Math.min(route.channels_tried, route.candidates.length) })}
        </p>
      )}
    </>
  )
}

type RouteCandidate = RoutePreview['candidates'][number]

const CELL = 'px-2 py-2 first:pl-3 last:pr-3'

/** A phone has room for the name, the chance and the state. */
const PHONE_COLUMNS = 'max-sm:[&_tr>:is(:nth-child(2),:nth-child(3),:nth-child(5),:nth-child(6))]:hidden'

/** The candidate channels in the order in which they would be tried. */
function CandidateTable({ candidates }: { readonly candidates: readonly RouteCandidate[] }) {
  const t = useDialogText()
  const heads = ['name', 'priority', 'weight', 'chance', 'upstream', 'inputLimit', 'atTheMoment'] as const
  return (
    <div className="overflow-x-auto rounded-card border border-line">
      <table className={`w-full text-left text-small ${PHONE_COLUMNS}`}>
        <caption className="sr-only">{t('previewRoute')}</caption>
        <thead className="bg-sunken text-caption text-muted">
          <tr>
            {heads.map(head => (
              <th key={head} scope="col" className={`${CELL} font-medium whitespace-nowrap`}>
                {t(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {candidates.map(candidate => (
            <CandidateRow key={candidate.channel_id} candidate={candidate} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function CandidateRow({ candidate }: { readonly candidate: RouteCandidate }) {
  const t = useDialogText()
  const obstacle = useSkipReasonText()(candidate.obstacle)
  return (
    <tr className="border-t border-line tabular">
      <th scope="row" className={`${CELL} font-medium sm:min-w-40`}>
        <ChannelLink id={candidate.channel_id} keepsSearch>
          {candidate.channel_name} #{candidate.channel_id}
        </ChannelLink>
      </th>
      <td className={CELL}>{candidate.priority}</td>
      <td className={CELL}>{candidate.weight}</td>
      <td className={CELL}>{shareText(candidate.chance, 1)}</td>
      <td className={`${CELL} font-mono text-caption whitespace-nowrap`}>{candidate.upstream_model}</td>
      <td className={CELL}>{candidate.max_input_tokens || t('noInputLimit')}</td>
      <td className={CELL}>
        <StatusBadge tone={obstacle ? 'warning' : 'success'} mark={obstacle ? 'triangle' : 'filled'}>
          {obstacle ?? t('ready')}
        </StatusBadge>
      </td>
    </tr>
  )
}
