import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { ensureBundle, type PageBundle } from './page-bundle.ts'

export type LoadDashboard = () => Promise<PageBundle>

type DashboardSettings = { readonly dataDir: string; readonly dashboardDir: string | null }

/**
 * The dashboard of this version. The supervisor builds it at the start; a process that runs alone builds it for its first
 * reader. A failed build is tried again at the next request.
 */
export function openDashboard(settings: DashboardSettings): LoadDashboard {
  const { dashboardDir, dataDir } = settings
  const folder = dashboardDir === null ? join(dataDir, 'dashboard') : resolve(DASHBOARD.home, dashboardDir)
  let loading: Promise<PageBundle> | null = null
  return async () => {
    loading ??= buildDashboard(folder).catch((cause: unknown) => {
      loading = null
      throw cause
    })
    return loading
  }
}

/** Builds where the data folder can be written, else in the folder for temporary files. */
async function buildDashboard(folder: string): Promise<PageBundle> {
  try {
    return await ensureBundle({ ...DASHBOARD, folder })
  } catch (cause) {
    // A container may have a read-only data folder. The content is ours and not secret, so any folder will do.
    if (!isReadOnly(cause)) throw cause
    return ensureBundle({ ...DASHBOARD, folder: join(tmpdir(), `beckon-dashboard-${userInfo().uid}`) })
  }
}

function isReadOnly(cause: unknown): boolean {
  return (
    cause instanceof Error && 'code' in cause && ['EACCES', 'EROFS', 'EPERM'].includes(String(cause.code))
  )
}

const DASHBOARD = {
  home: join(import.meta.dirname, '../..'),
  entry: 'web/dashboard/main.tsx',
  sources: ['web/dashboard/**', 'web/client/**', 'src/rules/**', 'package-lock.json'],
} as const
