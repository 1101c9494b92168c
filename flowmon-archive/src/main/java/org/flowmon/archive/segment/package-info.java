/**
 * What a segment is: its description once it is sealed, its times and order, if its rows came
 * from, and how segments are to be sealed.
 */
package org.flowmon.archive.segment;
