/** Priorities on the cores of a process. */
package org.flowmon.jobs.urgent;
