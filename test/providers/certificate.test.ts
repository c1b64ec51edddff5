import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { NOW } from './support.ts'

test('the sandbox certificate is valid for loopback, signed by itself, and lasts a year', () => {
  for (let round = 0; round < 20; round += 1) {
    const certificate = new X509Certificate(makeCertificate(NOW).cert)
    assert.ok(certificate.verify(certificate.publicKey))
    assert.equal(certificate.checkHost('localhost'), 'localhost')
    assert.equal(certificate.checkIP('127.0.0.1'), '127.0.0.1')
    assert.equal(certificate.checkIP('::1'), '::1')
    assert.equal(certificate.checkHost('push.example'), undefined)
    assert.ok(certificate.ca)
    assert.equal(certificate.validToDate.getTime(), NOW + 365 * 86_400_000)
  }
})
