import { join } from 'node:path'
import { HOME } from '../lab/apps.ts'
import type { Network } from '../lab/network.ts'
import { readCompose, type Service } from './compose.ts'
import { hostOf } from './container.ts'

export const ONE_COMPOSE = join(HOME, 'compose.yaml')
export const CLUSTER_COMPOSE = join(HOME, 'deploy/cluster/compose.yaml')
export const KEY = 'a-key-of-the-test-of-containers'

const VALUES = {
  SUPERUSER_PASSWORD: 'superuser1',
  REPLICATION_PASSWORD: 'replication1',
  BECKON_PASSWORD: 'beckon1',
  BECKON_SECRET: 'a secret of the test of containers',
  BECKON_API_KEY: KEY,
}

export function servicesOf(path: string): readonly Service[] {
  return readCompose(path, VALUES)
}

/** The machines of both files, beside those of the lab. */
export function containerNetwork(): Network {
  const services = [ONE_COMPOSE, CLUSTER_COMPOSE].flatMap(servicesOf)
  return { prefix: 'beckon-containers', hosts: services.map(hostOf) }
}
