/** The path below which a proxy serves the gateway, which states it in the page; empty at the root of a host. */
export const basePath = globalThis.document?.documentElement.dataset.basePath ?? ''

export const documentationPath = { zh: `${basePath}/docs/zh/`, en: `${basePath}/docs/` } as const
