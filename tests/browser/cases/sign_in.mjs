import assert from 'node:assert/strict'
import { password, users } from '../support/seed.mjs'
import { test } from '../support/runner.mjs'
import { visit } from '../support/visitor.mjs'

test('sign-in: a wrong password is refused in the form, the right one leads to the wanted page', (world) =>
  visit(world, {}, async (visitor, page) => {
    visitor.expect(/status 401: POST .*\/session$/)
    await visitor.page.goto(visitor.url('/jobs?name=report'))
    await page.locator('input[name=name]').waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    await visitor.fillSignIn('admin', 'not the password')
    await page.locator('[role=alert]').waitFor()
    assert.match(await page.locator('[role=alert]').innerText(), /password/i)
    await visitor.fillSignIn('admin', world.adminPassword)
    await page.getByRole('link', { name: 'report', exact: true }).waitFor()
    assert.equal(visitor.path(), '/console/jobs?name=report')
  }))

test('sign-in: another site is never the target after signing in', (world) =>
  visit(world, {}, async (visitor, page) => {
    await page.goto(visitor.url('/sign-in?to=//example.org/x'))
    await visitor.fillSignIn('admin', world.adminPassword)
    await page.locator('nav').waitFor()
    assert.equal(visitor.path(), '/console/')
  }))

test('sign-in: a user with the default password chooses another one first', (world) =>
  visit(world, {}, async (visitor, page) => {
    await page.goto(visitor.url('/jobs'))
    await visitor.fillSignIn(users.first, '123456')
    await page.getByText('You still have the default password').waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    // No other page opens before.
    await page.goto(visitor.url('/runs'))
    await page.getByText('You still have the default password').waitFor()
    const fields = page.locator('form input[type=password]')
    const count = await fields.count()
    if (count === 3) await fields.nth(0).fill('123456')
    await fields.nth(count - 2).fill(password)
    await fields.nth(count - 1).fill(`${password}x`)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('The two new passwords differ').waitFor()
    await fields.nth(count - 1).fill(password)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('The password is changed').waitFor()
    await visitor.fillSignIn(users.first, password)
    await page.locator('nav').waitFor()
    await visitor.settle()
  }))

test('sign-out: the session ends on the server, and pages ask for a new sign-in', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn(users.viewer, password)
    const cookies = (await visitor.context.cookies()).map((each) => `${each.name}=${each.value}`).join('; ')
    await page.getByRole('button', { name: users.viewer }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Sign out' }).click()
    await page.locator('input[name=name]').waitFor()
    await visitor.settle()
    const answer = await fetch(`${world.server.address}/api/v1/session`, { headers: { Cookie: cookies } })
    assert.equal(answer.status, 401)
    await page.goto(visitor.url('/jobs'))
    await page.locator('input[name=name]').waitFor()
  }))

test('account: a new password ends the session and is the one to sign in with', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn(users.first, password, '/me')
    const fields = page.locator('form input[type=password]')
    await fields.nth(0).fill(password)
    await fields.nth(1).fill('another long password')
    await fields.nth(2).fill('another long password')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.locator('input[name=name]').waitFor()
    await visitor.fillSignIn(users.first, 'another long password')
    await page.locator('nav').waitFor()
    await visitor.settle()
  }))
