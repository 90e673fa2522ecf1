import { lazyPart } from '../../ui/lazy-part.ts'

/** What opens over the list comes with its first use. */
export const channelSheet = lazyPart(async () => (await import('./sheet/channel-sheet.tsx')).ChannelSheet)
export const tagSheet = lazyPart(async () => (await import('./tag/tag-sheet.tsx')).TagSheet)
export const testDialog = lazyPart(async () => (await import('./test/test-dialog.tsx')).TestDialog)
export const listMenu = lazyPart(async () => (await import('./list-menu.tsx')).ListMenu)
export const bulkActions = lazyPart(async () => (await import('./bulk-actions.tsx')).BulkActions)
export const runProgress = lazyPart(async () => (await import('./run-progress.tsx')).RunProgress)
export const routeDialog = lazyPart(async () => (await import('./route/route-dialog.tsx')).RouteDialog)
