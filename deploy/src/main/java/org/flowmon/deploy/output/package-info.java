/** Answers, reports and facts on standard output: as tables for people, as CSV, as JSON. */
package org.flowmon.deploy.output;
