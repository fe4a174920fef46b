// What a mocha level prints: one line per failure as it happens, details at the end, and the closing line the runner adds up.
const Mocha = require('mocha');

module.exports = class ClosingLine extends Mocha.reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    let passed = 0;
    let failed = 0;
    const verbose = process.env.SIXLENS_TEST_VERBOSE === '1';
    runner.on('pass', (test) => {
      passed++;
      if (verbose) console.log(`  ok ${test.fullTitle()} (${test.duration} ms)`);
    });
    runner.on('fail', (test) => {
      failed++;
      console.log(`  FAILED ${test.fullTitle()}`);
    });
    runner.on('pending', (test) => console.log(`  skipped ${test.fullTitle()}`));
    runner.once('end', () => {
      if (failed) this.epilogue();
      console.log(`${passed} passed, ${failed} failed`);
    });
  }
};
