/** The messages of reports as JSON, written and read again ({@code docs/format/reports.md}). */
@NullMarked
package org.flowmon.jobs.report.json;

import org.jspecify.annotations.NullMarked;
