/** The messages of reports as JSON, written and read again ({@code docs/format/reports.md}). */
package org.flowmon.jobs.report.json;
