/** The logics that flowmon brings along, and what they ask of history. */
package org.flowmon.jobs.report.logic;
